import { unpackedText } from "../../base/packed-text.ts"
import { packedModule } from "../../offline/module/published-module.ts" with { type: "macro" }

/** 300 kB, so it is loaded apart from the route. */
export const MODULE = unpackedText(packedModule())
