/** What this program is: its version, and what its build has written into it. */
import { version } from "../../package.json"

/** Set by scripts/build.ts; absent when run from source. */
declare const BUILD_COMMIT: string | undefined
declare const BUILD_TARGET: string | undefined
declare const BUILD_RELEASE_KEY: string | undefined

export const VERSION: string = version
/** The public key that signs releases, as `minisign -P` takes it. Null if the build was given none. */
export const RELEASE_KEY: string | null = typeof BUILD_RELEASE_KEY === "string" ? BUILD_RELEASE_KEY : null
export const COMMIT: string = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "unknown"
/** Null if the program runs from source. */
export const COMPILED_FOR: string | null = typeof BUILD_TARGET === "string" ? BUILD_TARGET : null
