/**
 * The reason that ends an attempt, or makes its transfer final, must be in a safe block: a replaceable block proves nothing. Each row is
 * compared with the chain when it is committed. No node knows a safe block before the chain has it, so a correct server is never ahead.
 */
import type { Books } from "../books.ts"
import type { AttemptRow } from "../database/changes.ts"
import type { Report } from "./row-inspector.ts"

export interface EndParts {
  readonly books: Books
  readonly report: Report
  /** The safe block. `timestamp` in seconds. */
  readonly safe: () => { readonly number: number; readonly timestamp: number }
  /** Whether the authorization is used or cancelled in the state of the safe block. */
  readonly isSpentWhenSafe: (key: string) => boolean
}

export class EndInspector {
  constructor(private readonly parts: EndParts) {}

  /** An attempt was written. */
  changed(before: AttemptRow | null, after: AttemptRow): void {
    if (after.finality === "SAFE" && before?.finality !== "SAFE") this.requireSafeTransfer(after)
    if (after.state !== "FAILED" && after.state !== "RELEASED") return
    if (before?.state !== after.state) this.requireCause(after)
    if (after.watched === 0 && (before?.watched !== 0 || before.state !== after.state)) this.requireExpired(after)
  }

  private requireSafeTransfer({ id, payer, nonce, settledTx }: AttemptRow): void {
    const { books, safe, report } = this.parts
    const { moved } = books.accounts.get(keyOf(payer, nonce)) ?? {}
    const last = safe().number
    if (moved?.tx === settledTx && moved.block <= last) return
    const found = moved ? `${moved.tx} in block ${moved.block}` : "nothing"
    report(
      "not_final",
      `${id} counts as safely paid by ${settledTx}; block ${last} is safe, and the chain has ${found}`,
      [id],
    )
  }

  /**
   * After the end of the authorization a false reason harms nobody: no transfer can come any more, and {@link MoneyInspector} looks for
   * one that came before. So a node may give a false reason then.
   */
  private requireCause({ id, payer, nonce, reason, validBefore }: AttemptRow): void {
    const { isSpentWhenSafe, safe, report } = this.parts
    if (!PROVED.has(reason) || safe().timestamp >= validBefore || isSpentWhenSafe(keyOf(payer, nonce))) return
    report("not_final", `${id} ended as ${reason}, which no safe block shows`, [id])
  }

  /** Until then anyone can bring the authorization to the chain. */
  private requireExpired({ id, validBefore, state }: AttemptRow): void {
    const left = validBefore - this.parts.safe().timestamp
    if (left > 0) this.parts.report("not_final", `${id} is ${state} and not watched, ${left} s before it ends`, [id])
  }
}

/** Reasons that only the chain gives. */
const PROVED: ReadonlySet<string | null> = new Set(["cancelled", "used_for_another_transfer", "expired_unused"])

const keyOf = (payer: string, nonce: string) => `${payer}:${nonce}`.toLowerCase()
