/** A proxy that forwards every request and cuts the first answer to each: the connection ends before the answer arrives. */
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"

interface CuttingProxy extends AsyncDisposable {
  readonly origin: string
  /** Every payment that passed. */
  readonly payments: readonly string[]
  /** How many answers were cut. */
  readonly cuts: () => number
}

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const cut = new Set<string>()
  const payments: string[] = []
  const proxy = createServer(async (request, response) => {
    const payment = request.headers["payment-signature"]
    if (typeof payment === "string") payments.push(payment)
    const answer = await forwarded(target, request)
    const body = new Uint8Array(await answer.arrayBuffer())
    const step = `${request.method} ${request.url} ${payment !== undefined}`
    if (!cut.has(step)) {
      cut.add(step)
      response.destroy()
      return
    }
    const headers = new Headers(answer.headers)
    // The body has no coding any more.
    for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name)
    response.writeHead(answer.status, Object.fromEntries(headers)).end(body)
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    payments,
    cuts: () => cut.size,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

async function forwarded(target: string, request: IncomingMessage): Promise<Response> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const { host: _, connection: __, "content-length": ___, ...headers } = request.headers
  return fetch(`${target}${request.url}`, {
    method: request.method ?? "GET",
    headers: headers as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
}
