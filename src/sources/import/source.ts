/** The two kinds of sources, as the import and its commands see them. */
import type { SourceAdapter } from "../records/adapter.ts"
import type { SourceId } from "../records/party.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { ImportedSource } from "./kept.ts"
import { keptParties } from "./kept-parties.ts"
import { keptRecords } from "./kept-records.ts"

export interface ListSource extends ImportedSource {
  readonly kind: "LIST"
  readonly id: SourceId
  readonly adapter: SourceAdapter
}

export interface RegisterSource extends ImportedSource {
  readonly kind: "REGISTER"
  readonly id: RegisterId
  readonly adapter: RegisterAdapter
}

export type Source = ListSource | RegisterSource

export function listSource(adapter: SourceAdapter): ListSource {
  const { id, sourceUrl, parserVersion, windows, licence } = adapter
  return {
    ...{ kind: "LIST", id, adapter, sourceUrl, parserVersion, windows, licence },
    ...{ content: windows.content, isLong: false, kept: keptParties(adapter) },
  }
}

export function registerSource(adapter: RegisterAdapter): RegisterSource {
  const { id, sourceUrl, parserVersion, windows, licence, content = null } = adapter
  return {
    ...{ kind: "REGISTER", id, adapter, sourceUrl, parserVersion, windows, licence },
    ...{ content, isLong: true, kept: keptRecords(adapter) },
  }
}
