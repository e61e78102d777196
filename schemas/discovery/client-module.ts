import { operation, PUBLIC_READ } from "../operation.ts"
import { documentReplies } from "./document-replies.ts"

const module = { description: "ECMAScript module", mediaType: "text/javascript; charset=utf-8" }

export const getClientModule = operation({
  ...PUBLIC_READ,
  id: "get_client_module",
  path: "/v1/agent/client.mjs",
  summary:
    "Module that signs, buys and recovers on the buyer's machine (Node 20, Bun, Deno, browsers); it imports ./verifier.mjs",
  responses: { 200: module, ...documentReplies },
})

export const getClientVerifier = operation({
  ...PUBLIC_READ,
  id: "get_client_verifier",
  path: "/v1/agent/verifier.mjs",
  summary: "Dependency-free module that verifies every signed document; the file beside client.mjs",
  responses: { 200: module, ...documentReplies },
})

export const getClientTypes = operation({
  ...PUBLIC_READ,
  id: "get_client_types",
  path: "/v1/agent/client.d.ts",
  summary: "TypeScript declarations of client.mjs, with its description",
  responses: {
    200: { description: "TypeScript declarations", mediaType: "application/typescript; charset=utf-8" },
    ...documentReplies,
  },
})
