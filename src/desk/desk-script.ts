import { unpackedText } from "../base/packed-text.ts"
import { packedScript } from "../pages/bundled-script.ts" with { type: "macro" }

/** The script of the pages that ask for a passkey. */
export const DESK_SCRIPT: string = unpackedText(packedScript("src/desk/browser/passkey-script.ts"))
