import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { createLog } from "../../src/base/log.ts"
import { formatInstant, HOUR, instant, MINUTE, SECOND } from "../../src/core/time.ts"
import { settlementCheck } from "../../src/delivery/settlement-check.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { markMined } from "../../src/store/payments/mined-nonces.ts"
import { allocateNonce } from "../../src/store/payments/relayer-ledger.ts"
import { lowestOpenNonce, oldestSettling } from "../../src/store/payments/settling-age.ts"
import { AT, reserved } from "../store/money-rows.ts"
import { moneyStore } from "../store/money-store.ts"

let money: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  money = await moneyStore()
  await money.run(() => reserved("1"))
})
afterEach(() => money.close())

async function settling(id: string, since: number): Promise<void> {
  const changed = "UPDATE payment_attempt SET state = 'SETTLING', updated_at = ?2 WHERE id = ?1"
  await money.write(changed, `att_${id}`, formatInstant(since))
}

const nonceOpen = (since: number) => money.run(() => allocateNonce("relayer", null, 7, formatInstant(since)))

/** A check at a wall clock and a monotonic clock that the test moves. */
function operator() {
  const time = { wall: instant(AT), passed: 0 }
  const machine = { now: () => time.wall, monotonic: () => time.passed }
  const logged: Record<string, unknown>[] = []
  const log = createLog("warn", (line) => logged.push(JSON.parse(line) as Record<string, unknown>), machine.now)
  const check = settlementCheck({ store: { read: money.run } as Pick<Store, "read"> as Store, machine, log })
  const look = async () => (await check.reasons()).map(({ code }) => code)
  return { time, logged, look }
}

describe("settlements in progress", () => {
  test.each([
    ["none", null, 0],
    ["one of a minute", MINUTE, 0],
    ["one of more than a minute", MINUTE + SECOND, 1],
    ["one of an hour, whose buyer let it hang: its transaction is mined, and sales go on", HOUR, 1],
  ])("%s", async (_, age, warnings) => {
    const { look, logged } = operator()
    if (age !== null) await settling("1", instant(AT) - age)
    expect(await look()).toEqual([])
    expect(logged).toHaveLength(warnings)
  })

  test.each([
    ["of five minutes", 5 * MINUTE, []],
    ["of more than five minutes", 5 * MINUTE + SECOND, ["SETTLEMENT_STUCK"]],
  ])("a relayer nonce %s", async (_, age, codes) => {
    const { look } = operator()
    await nonceOpen(instant(AT) - age)
    expect(await look()).toEqual([...codes])
    await money.run(() => markMined("relayer", 7, AT))
    expect(await look()).toEqual([])
  })

  test("the warning names the attempt and is logged once a minute", async () => {
    const { look, logged, time } = operator()
    await settling("1", instant(AT) - 2 * MINUTE)
    for (let second = 0; second <= 60; second += 5) {
      await look()
      time.wall += 5 * SECOND
      time.passed += 5 * SECOND
    }
    expect(logged.map((line) => [line["event"], line["attempt_id"], line["seconds"]])).toEqual([
      ["settlement_slow", "att_1", 120],
      ["settlement_slow", "att_1", 180],
    ])
  })

  test("a nonce watched for five minutes counts as old after the clock was set back", async () => {
    const { look, time } = operator()
    await nonceOpen(instant(AT))
    expect(await look()).toEqual([])
    time.wall -= HOUR
    time.passed += 5 * MINUTE
    expect(await look()).toEqual([])
    time.passed += SECOND
    expect(await look()).toEqual(["SETTLEMENT_STUCK"])
    // The next nonce is another one and has just begun to wait.
    await nonceOpen(instant(AT))
    await money.run(() => markMined("relayer", 7, AT))
    expect(await look()).toEqual([])
  })

  test("the check reads only the oldest settlement and the lowest nonce", async () => {
    await money.run(() => reserved("2"))
    await settling("1", instant(AT) - MINUTE)
    await settling("2", instant(AT) - 2 * MINUTE)
    expect(await money.run(oldestSettling)).toEqual({ id: "att_2", since: formatInstant(instant(AT) - 2 * MINUTE) })
    await nonceOpen(instant(AT))
    await nonceOpen(instant(AT) + SECOND)
    expect(await money.run(lowestOpenNonce)).toEqual({ id: "relayer/7", since: AT })
  })
})
