import { getCapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import type { Operation } from "../../schemas/operation.ts"
import type { Call, Reply } from "../http/call.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { documentOperations } from "./document-operations.ts"
import type { Generation, Generations } from "./generation.ts"

/** Serves every document and the capability manifest. `acpChannel`: slug of the channel of the signing module. */
export function documentRoutes(shell: Shell, generations: Generations, acpChannel: string): readonly Route[] {
  return [...documentOperations(acpChannel), getCapabilityManifest].map((operation) =>
    serve(shell, operation, replyDocument(generations, operation)),
  )
}

/** Returns the handler of one document's route. It waits only for the first generation. */
function replyDocument(
  generations: Generations,
  { id }: Pick<Operation, "id">,
): (call: Call<null>) => Reply | Promise<Reply> {
  const replyFrom = ({ documents }: Generation, headers: Headers): Reply => {
    const document = documents.get(id)
    if (!document) throw new Error(`no document ${id} is printed`)
    return document.reply(headers)
  }
  return ({ headers }) => {
    const current = generations.current()
    return current instanceof Promise ? current.then((made) => replyFrom(made, headers)) : replyFrom(current, headers)
  }
}
