import { bundledScript } from "../pages/bundled-script.ts" with { type: "macro" }

/** The script of the pages that ask for a passkey. */
export const DESK_SCRIPT: string = bundledScript("src/desk/browser/passkey-script.ts")
