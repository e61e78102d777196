/**
 * The declaration that a backup is the newest state, against the chain: whoever paid after the backup would buy a second answer with the
 * same authorization.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { EXIT } from "../../../src/base/exit.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { type Purchase, usBody } from "../../fixtures/answers.ts"
import { type Running, run, serve } from "../../fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { paymentAt, postTo, SERVICE_FLAGS } from "../../fixtures/product-operator.ts"
import { openTestOperator, type TestOperator, untilReady } from "../../fixtures/test-operator.ts"

setDefaultTimeout(240_000)

interface Bought {
  readonly purchase: Purchase
  readonly payment: Record<string, string>
  readonly transaction: string
}

let operator: TestOperator
let server: Running
const at = (name: string) => operator.path(name)
const bizauth = (...args: string[]) => run(args, { cwd: operator.folder, limitMs: 60_000 })

async function buy(): Promise<Bought> {
  const purchase = { path: companyCheckRules.path, body: JSON.stringify(usBody()) }
  const payment = await paymentAt(server.origin, purchase)
  const answer = await postTo(server.origin, purchase, payment)
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const transaction = (await operator.transfers()).at(-1)?.hash ?? ""
  return { purchase, payment, transaction }
}

async function backup(file: string, data = operator.data): Promise<void> {
  const keys = ["--include-lists", "--include-keys", "--passphrase-file", at("passphrase")]
  const made = await bizauth("backup", at(file), "--data", data, ...keys)
  expect([made.exit, made.err]).toEqual([EXIT.DONE, made.err])
}

/** With the settings of the server, which its configuration file does not have. */
const restore = (file: string, directory: string, ...flags: string[]) =>
  bizauth("restore", at(file), "--data", at(directory), "--passphrase-file", at("passphrase"), ...flags)
const declare = (directory: string, ...flags: string[]) =>
  bizauth("restore", "--backup-is-newest", "--data", at(directory), ...flags)

let afterBackup: readonly Bought[]
beforeAll(async () => {
  operator = await openTestOperator()
  writeFileSync(at("passphrase"), "correct horse battery\n", { mode: 0o600 })
  server = await operator.serve(SERVICE_FLAGS)
  await buy()
  await backup("early.tar.zst")
  afterBackup = [await buy(), await buy()]
  await server.kill()
  await backup("late.tar.zst")
})
afterAll(() => operator[Symbol.asyncDispose]())

test("a restore with the declaration is refused while payments since the backup are unknown, names them and leaves nothing", async () => {
  const ran = await restore("early.tar.zst", "wrong", "--backup-is-newest", ...operator.selling)
  expect([ran.exit, ran.out]).toEqual([EXIT.INVALID, ""])
  expect(ran.err).toContain("the backup is not the newest state: 2 transfers arrived since")
  for (const { transaction } of afterBackup) expect(ran.err).toContain(transaction)
  expect(ran.err).toContain("Restore without --backup-is-newest")
  expect(readdirSync(operator.folder).filter((name) => name.startsWith("wrong"))).toEqual([])
})

test("it is refused when the nodes do not answer, and when no node is named", async () => {
  operator.proxy.fault("*", { reject: true })
  const unanswered = await restore("late.tar.zst", "wrong", "--backup-is-newest", ...operator.selling)
  operator.proxy.reset()
  expect([unanswered.exit, unanswered.err]).toEqual([
    EXIT.NOT_CHECKED,
    expect.stringContaining("nobody knows whether the backup is the newest state"),
  ])
  operator.proxy.fault("eth_getLogs", { reject: true })
  const noLogs = await restore("late.tar.zst", "wrong", "--backup-is-newest", ...operator.selling)
  operator.proxy.reset()
  expect(noLogs.exit).toBe(EXIT.NOT_CHECKED)
  const otherChain = { result: "0x1" }
  operator.proxy.fault("eth_chainId", otherChain)
  const wrong = await restore("late.tar.zst", "wrong", "--backup-is-newest", ...operator.selling)
  operator.proxy.reset()
  expect([wrong.exit, wrong.err]).toEqual([EXIT.NOT_CHECKED, expect.stringContaining("is on chain 1, not 8453")])
  const unnamed = await restore("late.tar.zst", "wrong", "--backup-is-newest")
  expect([unnamed.exit, unnamed.err]).toEqual([EXIT.CONFIG, expect.stringContaining("--rpc-url")])
  expect(existsSync(at("wrong"))).toBe(false)
})

test("without the declaration it succeeds, and the declaration afterwards is refused in the same words", async () => {
  const restored = await restore("early.tar.zst", "plain")
  expect([restored.exit, restored.err]).toEqual([EXIT.DONE, restored.err])
  const ran = await declare("plain", ...operator.selling)
  expect([ran.exit, ran.err]).toEqual([EXIT.INVALID, expect.stringContaining("2 transfers arrived since")])
  operator.proxy.fault("*", { reject: true })
  expect((await declare("plain", ...operator.selling)).exit).toBe(EXIT.NOT_CHECKED)
  operator.proxy.reset()
})

test("a backup that knows every payment is restored, sells at once, and gives what was paid before once more, without a payment", async () => {
  const restored = await restore("late.tar.zst", "right", "--backup-is-newest", ...operator.selling)
  expect([restored.exit, restored.err]).toEqual([EXIT.DONE, restored.err])
  const transfers = (await operator.transfers()).length
  server = await serve(at("right"), [...operator.selling, ...SERVICE_FLAGS])
  try {
    await untilReady(server.origin)
    for (const { purchase, payment } of afterBackup) {
      expect((await postTo(server.origin, purchase, payment)).status).toBe(200)
    }
    expect((await operator.transfers()).length).toBe(transfers)
    await buy()
    expect((await operator.transfers()).length).toBe(transfers + 1)
    await backup("last.tar.zst", at("right"))
  } finally {
    await server.kill()
  }
})

test("a plain transfer counts too, because nobody knows what it paid for", async () => {
  await operator.chain.mint(DEV_ACCOUNTS.payTo.address, 1n)
  const ran = await restore("last.tar.zst", "gift", "--backup-is-newest", ...operator.selling)
  expect([ran.exit, ran.err]).toEqual([EXIT.INVALID, expect.stringContaining("plain transfer")])
})
