import { Elysia } from "elysia"
import { getCapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import type { Operation } from "../../schemas/operation.ts"
import type { Call, Reply } from "../http/call.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import type { Generations } from "./generation.ts"
import type { DocumentRow } from "./parts.ts"

/** Serves every document and the capability manifest. */
export function documentRoutes(shell: Shell, generations: Generations, rows: readonly DocumentRow[]): Elysia {
  const app = new Elysia({ normalize: false })
  for (const { operation } of [...rows, { operation: getCapabilityManifest }]) {
    app.use(serve(shell, operation, replyDocument(generations, operation)))
  }
  return app
}

/** Returns the handler of one document's route. */
export function replyDocument(generations: Generations, { id }: Pick<Operation, "id">): (call: Call<null>) => Reply {
  return ({ headers }) => {
    const document = generations.current().documents.get(id)
    if (!document) throw new Error(`no document ${id} is printed`)
    return document.reply(headers)
  }
}
