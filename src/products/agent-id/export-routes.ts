import { Elysia } from "elysia"
import { exportIdentity } from "../../../schemas/agent-id/export.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { type ExportDeps, replyExport } from "./export-identity.ts"
import { KeptExports } from "./kept-exports.ts"
import { verifierModule } from "./verifier-module.ts"

/** The bundle, and the documents that verify it without this service. */
export function identityExport(deps: Omit<ExportDeps, "kept"> & { readonly shell: Shell }): Elysia {
  const exports = { ...deps, kept: new KeptExports() }
  const routes = new Elysia({ normalize: false })
    .use(serve(deps.shell, exportIdentity, (call) => replyExport(exports, call)))
    .use(verifierModule(deps.shell))
  return routes as unknown as Elysia
}
