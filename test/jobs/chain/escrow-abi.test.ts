/** Selectors and topics of the contract that runs on Base, as they were read from its published ABI. */
import { expect, test } from "bun:test"
import { keccak256, toEventSelector, toFunctionSelector, toHex } from "viem"
import { ESCROW_ABI, IMPLEMENTATION_SLOT, JOB_CREATED, JOB_EVENTS } from "../../../src/jobs/chain/escrow-abi.ts"

const SELECTORS: Readonly<Record<string, `0x${string}`>> = {
  setBudget: "0xdd4ae9d4",
  submit: "0x9e63798d",
  getJob: "0xbf22c457",
  paymentToken: "0x3013ce29",
  paused: "0x5c975abb",
  platformFeeBP: "0xff96092a",
  evaluatorFeeBP: "0x2f0e31f4",
}

/** First and last digits. */
const TOPICS: Readonly<Record<string, readonly [string, string]>> = {
  JobCreated: ["0xb0f0239b", "79b9"],
  JobFunded: ["0xe3fbcc1e", "96b3"],
  JobSubmitted: ["0x80c17db7", "538e"],
  JobCompleted: ["0x0fd54bd3", "1444"],
  JobRejected: ["0xae7362b1", "b275"],
  JobExpired: ["0x97237956", "9232"],
  PaymentReleased: ["0x21d71db5", "31b0"],
  Refunded: ["0x7ca5472b", "a2c4"],
}

test("every function has its selector", () => {
  const functions = ESCROW_ABI.filter((item) => item.type === "function")
  expect(Object.fromEntries(functions.map((item) => [item.name, toFunctionSelector(item)]))).toEqual(SELECTORS)
})

test("every event has its topic", () => {
  const events = ESCROW_ABI.filter((item) => item.type === "event")
  const found = events.map((item) => {
    const topic = toEventSelector(item)
    return [item.name, [topic.slice(0, 10), topic.slice(-4)]] as const
  })
  expect(Object.fromEntries(found)).toEqual(TOPICS)
  expect([...JOB_EVENTS].map(([topic, name]) => [name, topic.slice(0, 10)])).toEqual(
    Object.entries(TOPICS).flatMap(([name, [first]]) => (name === "JobCreated" ? [] : [[name, first]])),
  )
  expect(JOB_CREATED.slice(0, 10)).toBe("0xb0f0239b")
})

test("the slot is that of EIP-1967", () => {
  const slot = BigInt(keccak256(toHex("eip1967.proxy.implementation"))) - 1n
  expect(IMPLEMENTATION_SLOT).toBe(toHex(slot, { size: 32 }))
})
