/** Sells every product and prints the sales as JSON. */
import { sellProducts } from "./sell-products.ts"

process.stdout.write(JSON.stringify(await sellProducts()), () => process.exit(0))
