import { FREE, operation } from "../operation.ts"

export const getVerifierModule = operation({
  id: "GetAgentBundleVerifier",
  method: "GET",
  path: "/v1/agent-id/verifier.mjs",
  summary: "Dependency-free module that verifies export bundles in a browser, Node or Bun",
  body: undefined,
  responses: {
    200: { description: "ECMAScript module", mediaType: "text/javascript" },
    304: { description: "Unchanged since the ETag sent" },
  },
  ...FREE,
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
})
