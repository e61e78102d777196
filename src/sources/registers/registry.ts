import { gleifLei } from "../gleif-lei/adapter.ts"
import { ukCompaniesHouse } from "../uk-companies-house/bulk-adapter.ts"
import { usSamEntity } from "../us-sam-entity/adapter.ts"
import { usSecEdgar } from "../us-sec-edgar/adapter.ts"
import type { RegisterAdapter } from "./register-adapter.ts"

/** Every register that can be imported, in the order it is shown. */
export const REGISTER_ADAPTERS: readonly RegisterAdapter[] = [ukCompaniesHouse, usSamEntity, gleifLei, usSecEdgar]

/** Null for a text that is no register's id. */
export function registerAdapterOf(id: string): RegisterAdapter | null {
  return REGISTER_ADAPTERS.find((adapter) => adapter.id === id) ?? null
}
