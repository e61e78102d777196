/** The script of `/verify`, in a module of its own: it loads with the first request for the page. */
import { unpackedText } from "../base/packed-text.ts"
import { packedScript } from "./bundled-script.ts" with { type: "macro" }

export const VERIFY_SCRIPT: string = unpackedText(packedScript("src/pages/verify/script.ts"))
