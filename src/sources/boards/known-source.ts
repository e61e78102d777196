/** A source as a row: what a running service knows of it. The parsers of the lists are not loaded for it. */
import { LIST_ROWS } from "../records/list-rows.ts"
import { SOURCE_IDS, type SourceId } from "../records/party.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { ListWindows, Windows } from "../records/windows.ts"

interface KnownList {
  readonly kind: "LIST"
  readonly id: SourceId
  readonly windows: ListWindows
}

interface KnownRegister {
  readonly kind: "REGISTER"
  readonly id: RegisterId
  readonly windows: Windows
}

export type KnownSource = KnownList | KnownRegister

export function knownList(id: SourceId): KnownList {
  return { kind: "LIST", id, windows: LIST_ROWS[id].windows }
}

export function knownRegister({ id, windows }: Pick<RegisterAdapter, "id" | "windows">): KnownRegister {
  return { kind: "REGISTER", id, windows }
}

/** Every list, in display order. */
export const LISTS: readonly KnownList[] = SOURCE_IDS.map(knownList)
