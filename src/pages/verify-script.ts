/** The script of `/verify`, in a module of its own: it loads with the first request for the page. */
import { bundledScript } from "./bundled-script.ts" with { type: "macro" }

export const VERIFY_SCRIPT: string = bundledScript("src/pages/verify/script.ts")
