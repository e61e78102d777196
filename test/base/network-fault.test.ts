import { expect, test } from "bun:test"
import { answered, sendOverNetwork } from "../../src/agent/service-call.ts"
import { inBrackets, networkCode } from "../../src/base/network-fault.ts"
import { openHostedSettler } from "../../src/payments/hosted-settler.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { openChain, readAsset } from "../../src/payments/rpc.ts"

/** Nobody listens there. */
const NOWHERE = "http://127.0.0.1:1"

const faultOf = (promise: Promise<unknown>) => promise.then(() => null).catch((error: unknown) => error)

test("a refused connection has the code of the system, also where a library nests it", async () => {
  expect(networkCode(await faultOf(fetch(NOWHERE)))).toBe("ECONNREFUSED")
  const inner = Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" })
  expect(networkCode(new Error("outer", { cause: new Error("middle", { cause: inner }) }))).toBe("ENOTFOUND")
})

test("a time limit is ETIMEDOUT; another error has no code, and no error that contains itself is followed for ever", async () => {
  expect(networkCode(new DOMException("late", "TimeoutError"))).toBe("ETIMEDOUT")
  const endless = new Error("endless")
  endless.cause = endless
  for (const other of [endless, new Error("http://user:secret@host"), "ECONNREFUSED", null]) {
    expect(networkCode(other)).toBeNull()
  }
  expect([inBrackets(null), inBrackets("ENOTFOUND")]).toEqual(["", " (ENOTFOUND)"])
})

test("a command says why a service cannot be reached", async () => {
  const error = await faultOf(answered(sendOverNetwork, new Request(`${NOWHERE}/livez`), 1000))
  expect((error as Error).message).toBe("127.0.0.1:1 cannot be reached: ECONNREFUSED")
})

test("the service says why a node or a facilitator does not answer, and never at which address", async () => {
  const { primary } = openChain({ network: BASE, rpcUrl: `${NOWHERE}/v2/secret-key`, timeoutMs: 1000 })
  const error = (await faultOf(primary.block("latest"))) as Error
  expect(error.message).toBe("primary node did not answer eth_getBlockByNumber (ECONNREFUSED)")
  expect(error.cause).toBeUndefined()
  const unread = (await faultOf(readAsset(primary, BASE.asset, "paused", []))) as Error
  expect(unread.message).toBe("primary node did not answer paused (ECONNREFUSED)")
  const hosted = openHostedSettler({ url: NOWHERE, timeoutMs: 1000 })
  expect(await hosted.answers()).toEqual({ isThere: false, code: "ECONNREFUSED" })
})
