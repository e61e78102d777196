import type { SigningModule } from "../../schemas/us/decision-contact.ts"
import { digestBytes } from "../core/digest.ts"
import type { Reply } from "../http/call.ts"
import type { Shell } from "../http/shell.ts"

const PATH = /^\/v1\/channels\/[^/]+\/buyer-signing\.mjs$/

/**
 * Returns a function that finds the signing module among the served operations: its address, and the digest of the bytes that its route
 * sends. The function returns null if the service does not serve the module.
 */
export function signingModule(
  { served, baseUrl, machine }: Pick<Shell, "served" | "baseUrl" | "machine">,
  channel: string,
): () => Promise<SigningModule | null> {
  let found: SigningModule | null = null
  return async () => {
    const row = found ? undefined : served?.rows().find(({ path, method }) => method === "GET" && PATH.test(path))
    const route = row && served?.find(row.id)
    if (row && route) {
      const reply = await route.invoke({
        body: null,
        params: { channel },
        headers: new Headers(),
        bodyDigest: null,
        client: "own",
        requestId: "own",
        traceId: "own",
        at: machine.now(),
      })
      found = {
        uri: baseUrl() + row.path.replace("{channel}", channel),
        digest: digestBytes(bytesOf(row.id, reply)),
        function: "bindRequirement",
      }
    }
    return found
  }
}

function bytesOf(id: string, { status, body }: Reply): string | Uint8Array {
  if (status === 200 && (typeof body === "string" || body instanceof Uint8Array)) return body
  throw new TypeError(`${id} answers ${status} with something that is no module`)
}
