/**
 * The provider's transactions: at most one budget and one submission for each job. The nonce and the signed bytes are stored before they are
 * sent, so sending again after a crash sends the same transaction.
 */
import { and, asc, desc, eq } from "drizzle-orm"
import { bind, bound, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"

export type JobAction = "SET_BUDGET" | "SUBMIT"

export interface ActionRow {
  readonly job: string
  readonly action: JobAction
  /** In lower case. */
  readonly wallet: string
  readonly nonce: number
  readonly state: "OPEN" | "SAFE" | "REVERTED"
  readonly createdAt: string
  readonly updatedAt: string
}

export interface ActionTransaction {
  readonly txHash: string
  readonly job: string
  readonly action: JobAction
  readonly nonce: number
  readonly raw: string
  readonly maxFeeWei: string
  readonly createdAt: string
}

const one = query((db, t) =>
  db
    .select()
    .from(t.acpAction)
    .where(and(eq(t.acpAction.job, bind("job")), eq(t.acpAction.action, bind("action")))),
)

export function* findAction(job: string, action: JobAction): Unit<ActionRow | null> {
  return (yield* first(one, { job, action })) ?? null
}

const highest = query((db, t) =>
  db
    .select({ nonce: t.acpAction.nonce })
    .from(t.acpAction)
    .where(and(eq(t.acpAction.wallet, bind("wallet")), eq(t.acpAction.state, "OPEN")))
    .orderBy(desc(t.acpAction.nonce))
    .limit(1),
)

/** The nonce after the wallet's highest open one, or `mined` if that is higher. `mined`: the chain's count of the wallet's transactions. */
export function* nextWalletNonce(wallet: string, mined: number): Unit<number> {
  const open = yield* first(highest, { wallet })
  return Math.max(mined, open === undefined ? 0 : open.nonce + 1)
}

/** Limit of open actions that one call returns. */
const OPEN_ACTIONS_MAX = 64
const open = query((db, t) =>
  db
    .select()
    .from(t.acpAction)
    .where(and(eq(t.acpAction.wallet, bind("wallet")), eq(t.acpAction.state, "OPEN")))
    .orderBy(asc(t.acpAction.nonce))
    .limit(OPEN_ACTIONS_MAX),
)

/** Lowest nonce first: a later one waits for it. */
export function* openActions(wallet: string): Unit<ActionRow[]> {
  return yield* rows(open, { wallet })
}

const insert = query((db, t) =>
  db
    .insert(t.acpAction)
    .values({
      job: bind("job"),
      action: bind("action"),
      wallet: bind("wallet"),
      nonce: bind("nonce"),
      state: "OPEN",
      createdAt: bind("at"),
      updatedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ job: t.acpAction.job }),
)

/** False: the job has the action, or another action has the nonce. */
export function* openAction(action: Omit<ActionRow, "state" | "createdAt" | "updatedAt">, at: string): Unit<boolean> {
  return (yield* first(insert, { ...action, at })) !== undefined
}

/** The action while it is open under the nonce that the caller judged. `nonce`: the name of that value. */
const openUnder = ({ acpAction: t }: Tables, nonce: string) =>
  and(eq(t.job, bind("job")), eq(t.action, bind("action")), eq(t.nonce, bind(nonce)), eq(t.state, "OPEN"))

const renumber = query((db, t) =>
  db
    .update(t.acpAction)
    .set({ nonce: bound("nonce"), updatedAt: bound("at") })
    .where(openUnder(t, "from"))
    .returning({ job: t.acpAction.job }),
)

/** Gives an action another nonce, after a foreign transaction took its own. False: another worker was faster. */
export function* renumberAction(
  { job, action, nonce: from }: Pick<ActionRow, "job" | "action" | "nonce">,
  nonce: number,
  at: string,
): Unit<boolean> {
  return (yield* first(renumber, { job, action, from, nonce, at })) !== undefined
}

const reopen = query((db, t) =>
  db
    .update(t.acpAction)
    .set({ nonce: bound("nonce"), state: "OPEN", updatedAt: bound("at") })
    .where(
      and(eq(t.acpAction.job, bind("job")), eq(t.acpAction.action, bind("action")), eq(t.acpAction.state, "REVERTED")),
    )
    .returning({ job: t.acpAction.job }),
)

/** Opens an action again whose transaction failed. False: another worker was faster. */
export function* reopenAction(
  { job, action }: Pick<ActionRow, "job" | "action">,
  nonce: number,
  at: string,
): Unit<boolean> {
  return (yield* first(reopen, { job, action, nonce, at })) !== undefined
}

const close = query((db, t) =>
  db
    .update(t.acpAction)
    .set({ state: bound("state"), updatedAt: bound("at") })
    .where(openUnder(t, "nonce"))
    .returning({ job: t.acpAction.job }),
)

/**
 * Its transaction is in a safe block. `nonce`: the one that was judged. False: another worker was faster, and the action may be open again
 * under another nonce.
 */
export function* closeAction(
  { job, action, nonce }: Pick<ActionRow, "job" | "action" | "nonce">,
  state: "SAFE" | "REVERTED",
  at: string,
): Unit<boolean> {
  return (yield* first(close, { job, action, nonce, state, at })) !== undefined
}

const store = query((db, t) =>
  db
    .insert(t.acpTransaction)
    .values({
      txHash: bind("txHash"),
      job: bind("job"),
      action: bind("action"),
      nonce: bind("nonce"),
      raw: bind("raw"),
      maxFeeWei: bind("maxFeeWei"),
      createdAt: bind("createdAt"),
    })
    .onConflictDoNothing()
    .returning({ txHash: t.acpTransaction.txHash }),
)

export function* storeActionTransaction(transaction: ActionTransaction): Unit<void> {
  yield* rows(store, { ...transaction })
}

/** Limit of transactions of one action. The worker raises a fee less often. */
const TRANSACTIONS_MAX = 64
const ofAction = query((db, t) =>
  db
    .select()
    .from(t.acpTransaction)
    .where(and(eq(t.acpTransaction.job, bind("job")), eq(t.acpTransaction.action, bind("action"))))
    .orderBy(t.acpTransaction.createdAt, t.acpTransaction.txHash)
    .limit(TRANSACTIONS_MAX),
)

/** Signed transactions of an action, newest nonce first, then highest fee first. */
export function* actionTransactions(job: string, action: JobAction): Unit<ActionTransaction[]> {
  const signed = yield* rows(ofAction, { job, action })
  return signed.sort((a, b) => b.nonce - a.nonce || (BigInt(a.maxFeeWei) < BigInt(b.maxFeeWei) ? 1 : -1))
}
