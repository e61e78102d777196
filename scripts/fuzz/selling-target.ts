/** A server that sells every product, on the chain model, with bodies that it quotes. It has the paid routes and the MCP endpoint. */

import type { PaymentRequired } from "../../schemas/x402.ts"
import { createLog } from "../../src/base/log.ts"
import { realMachine } from "../../src/base/machine.ts"
import { listen } from "../../src/http/listen.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { ModelChain } from "../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { NodeError } from "../../src/sandbox/chain/node-error.ts"
import { signPayment } from "../../test/fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { type OpenapiDocument, printedOpenapi } from "../../test/fixtures/openapi.ts"
import { PRODUCT_ROWS, prepareProducts } from "../../test/fixtures/products.ts"
import type { Json } from "../../test/fixtures/schema-values.ts"
import { newDatabaseOn } from "../../test/fixtures/test-database.ts"
import {
  decodeHeader,
  enterBuyer,
  freshRequest,
  openTestServer,
  PATH,
  paymentHeader,
} from "../../test/fixtures/test-server.ts"
import type { FuzzTarget } from "./run-fuzz.ts"

/** Longer than a payment takes on a chain that mines at once. */
const SETTLE_WAIT_MS = 500

export async function sellingTarget(): Promise<FuzzTarget & AsyncDisposable> {
  const database = await newDatabaseOn("sqlite")
  const node = modelNode()
  const server = await openTestServer(database, { url: String(node.url) }, { settleWaitMs: SETTLE_WAIT_MS })
  await enterBuyer(server)
  await prepareProducts(server)
  const log = createLog("error", (line) => void server.lines.push(JSON.parse(line)), realMachine.now)
  const listener = listen({ host: "127.0.0.1", port: 0 }, { machine: realMachine, log, trustedProxies: new Set() })
  listener.open(server.handle, listener.origin)
  const rows = server.served.rows()
  const bodies = new Map(
    rows.flatMap(({ id, path }): [string, () => Json][] => {
      const row = PRODUCT_ROWS.find((product) => product.path === path)
      if (path === PATH) return [[id, () => freshRequest() as unknown as Json]]
      return row ? [[id, () => row.body() as unknown as Json]] : []
    }),
  )
  return {
    origin: listener.origin,
    document: JSON.parse(printedOpenapi(rows)) as OpenapiDocument,
    hasFallback: false,
    bodies,
    pay: async (required) => {
      const [terms] = decodeHeader<PaymentRequired>(required).accepts
      if (terms === undefined) return null
      const payload = await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(Date.now() / 1_000))
      return paymentHeader(payload)["payment-signature"] ?? null
    },
    takeLines: () => server.lines.splice(0),
    [Symbol.asyncDispose]: async () => {
      await listener.stop(0)
      await server.close()
      await node.stop(true)
      await database.close()
    },
  }
}

/** A node of the model over HTTP. It mines each transaction at once. */
function modelNode() {
  const now = () => Math.floor(Date.now() / 1_000)
  const model = new ModelChain({ network: BASE, genesisTime: now() - 60, safeLag: 3 })
  model.setEther(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  model.setUsdc(DEV_ACCOUNTS.payer.address, 10n ** 12n)
  const node = new ModelNode(model)
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method, params = [] } = (await request.json()) as { id: number; method: string; params?: unknown[] }
      try {
        const result = node.answer(method, params)
        if (method === "eth_sendRawTransaction") model.mine(Math.max(model.head.timestamp + 1, now()))
        return Response.json({ jsonrpc: "2.0", id, result })
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        const { code, message, data } = error
        return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } })
      }
    },
  })
}
