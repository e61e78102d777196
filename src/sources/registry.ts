import { listSource, registerSource, type Source } from "./import/source.ts"
import { ADAPTERS } from "./list-registry.ts"
import { REGISTER_ADAPTERS } from "./register-registry.ts"

/** Every source that can be imported: the lists, then the registers, in display order. Loads every parser. */
export const SOURCES: readonly Source[] = [
  ...Object.values(ADAPTERS).map(listSource),
  ...REGISTER_ADAPTERS.map(registerSource),
]

/** Returns null if the text is not a source id. */
export function sourceOf(id: string): Source | null {
  return SOURCES.find((source) => source.id === id) ?? null
}
