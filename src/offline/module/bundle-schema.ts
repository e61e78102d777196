/**
 * Runs at build time (a Bun macro). Returns the service's own closed schema as plain data, so that the published verifier applies exactly
 * the service's rules to a bundle and contains no schema library.
 */
import { AgentExportBundle, EXPORT_BYTES_MAX } from "../../../schemas/agent-id/export.ts"

export function bundleSchema(): typeof AgentExportBundle {
  return JSON.parse(JSON.stringify(AgentExportBundle)) as typeof AgentExportBundle
}

export function bundleLimits(): { readonly bytes: number } {
  return { bytes: EXPORT_BYTES_MAX }
}
