import { afterAll, beforeAll, expect, test } from "bun:test"
import { startCountingProxy } from "../../../scripts/bench/counting-proxy.ts"
import { type Chain, startChain } from "../../fixtures/chain.ts"

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

async function ask(url: string, questions: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" }
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(questions) })).json()
}

const question = (id: number, method: string) => ({ jsonrpc: "2.0", id, method, params: [] })

test("counts a batch as one post with its questions, and answers as the node", async () => {
  const proxy = startCountingProxy(chain.url)
  const single = question(1, "eth_chainId")
  const batch = [question(2, "eth_chainId"), question(3, "eth_blockNumber")]
  const answers = [await ask(proxy.url, single), await ask(proxy.url, batch)]
  const counted = proxy.used()
  await proxy.stop()
  expect(counted).toEqual({ posts: 2, questions: 3 })
  expect(answers).toEqual([await ask(chain.url, single), await ask(chain.url, batch)])
})
