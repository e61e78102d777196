import { type KnownSource, knownRegister, LISTS } from "./boards/known-source.ts"
import { REGISTER_ADAPTERS } from "./register-registry.ts"

/** The lists, then the registers, in display order. */
export const KNOWN_SOURCES: readonly KnownSource[] = [...LISTS, ...REGISTER_ADAPTERS.map(knownRegister)]
