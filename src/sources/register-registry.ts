import { gleifLei } from "./publishers/gleif-lei/adapter.ts"
import { ukCompaniesHouse } from "./publishers/uk-companies-house/bulk-adapter.ts"
import { usSamEntity } from "./publishers/us-sam-entity/adapter.ts"
import { usSecEdgar } from "./publishers/us-sec-edgar/adapter.ts"
import type { RegisterAdapter } from "./records/register-adapter.ts"

/** Every register that can be imported, in display order. */
export const REGISTER_ADAPTERS: readonly RegisterAdapter[] = [ukCompaniesHouse, usSamEntity, gleifLei, usSecEdgar]

/** Returns null if the text is not a register id. */
export function registerAdapterOf(id: string): RegisterAdapter | null {
  return REGISTER_ADAPTERS.find((adapter) => adapter.id === id) ?? null
}
