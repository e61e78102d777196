/**
 * The place where an inventory continues. It is not signed: whoever edits it can only skip the agent's own entries. `upTo` fixes the last
 * entry at the first page, so that imports in the meantime do not prolong the inventory.
 */
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import {
  type WalletEnvironment,
  WalletEnvironment as WalletEnvironmentSchema,
  type WalletFilter,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import { closed, Digest } from "../../../schemas/common.ts"
import { decodeBase64url, encodeBase64url } from "../../core/base64url.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { jsonOrUndefined } from "../../core/strict-json.ts"

const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Cursor = closed({
  after: Position,
  up_to: Position,
  filter_digest: Digest,
  environment: WalletEnvironmentSchema,
})

/** Numbers of entries: those above `after`, up to `upTo`. */
export interface InventoryRange {
  readonly after: number
  readonly upTo: number
}

interface InventoryScope {
  readonly environment: WalletEnvironment
  readonly filter: WalletFilter
}

export function writeCursor({ after, upTo }: InventoryRange, { environment, filter }: InventoryScope): string {
  const cursor: Static<typeof Cursor> = { after, up_to: upTo, filter_digest: digestOf(filter), environment }
  return encodeBase64url(canonicalBytes(cursor))
}

/** Returns null for any text that {@link writeCursor} would not write for this wallet and filter. */
export function readCursor(text: string, scope: InventoryScope): InventoryRange | null {
  const bytes = decodeBase64url(text)
  if (!bytes) return null
  const cursor = jsonOrUndefined(bytes)
  if (!Value.Check(Cursor, cursor)) return null
  const range = { after: cursor.after, upTo: cursor.up_to }
  return writeCursor(range, scope) === text ? range : null
}
