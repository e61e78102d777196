import { ukCompaniesHouse } from "../uk-companies-house/bulk-adapter.ts"
import type { RegisterAdapter } from "./register-adapter.ts"

/** Every register that can be imported, in the order it is shown. */
export const REGISTER_ADAPTERS: readonly RegisterAdapter[] = [ukCompaniesHouse]

/** Null for a text that is no register's id. */
export function registerAdapterOf(id: string): RegisterAdapter | null {
  return REGISTER_ADAPTERS.find((adapter) => adapter.id === id) ?? null
}
