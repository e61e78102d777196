/** The route map: one `.use()` for each slice, in the order of the interface. A new product adds one line here. */
import { Elysia } from "elysia"
import { version } from "../package.json"
import { a2aEndpoint } from "./a2a/endpoint.ts"
import { agentSalesDeps } from "./agent-sales-deps.ts"
import { bootstrapDeps } from "./bootstrap-deps.ts"
import { answerRoutes } from "./business-answers/answer-routes.ts"
import { commaList } from "./config.ts"
import { judgeSaleOf } from "./delivery/judge-sale.ts"
import { disabledOperations } from "./disabled-operations.ts"
import { capabilityRoute } from "./discovery/capabilities.ts"
import { cnpjPreflightRoute } from "./discovery/cnpj-preflight.ts"
import { documentRoutes } from "./discovery/document-routes.ts"
import { linkHeader } from "./discovery/entry-links.ts"
import { programDigest } from "./discovery/program-digest.ts"
import { serviceEntryRoutes } from "./discovery/service-entry.ts"
import { serviceProofRoute } from "./discovery/service-proof.ts"
import { fallback } from "./http/fallback.ts"
import { unlimited } from "./http/rate-limit.ts"
import { mcpEndpoint } from "./mcp/endpoint.ts"
import { invitationPages } from "./pages/invitation-routes.ts"
import { problemRoutes } from "./pages/problem-routes.ts"
import { planningDeps } from "./planning-deps.ts"
import { agentIdDiscovery } from "./products/agent-id/discovery-routes.ts"
import { identityExport } from "./products/agent-id/export-routes.ts"
import {
  bootstrapPath,
  invitationBootstrap,
  invitationContent,
  requireInvitation,
} from "./products/agent-id/invitation.ts"
import { transparencyLog } from "./products/agent-id/log-routes.ts"
import { agentId } from "./products/agent-id/routes.ts"
import { agentSignatures } from "./products/agent-id/signature-routes.ts"
import { RecentKeys } from "./products/agent-mode/foundation/recent-keys.ts"
import { bootstrapRoute } from "./products/agent-mode/foundation/routes.ts"
import { planning } from "./products/agent-mode/planning/routes.ts"
import { proofWallet } from "./products/agent-mode/proof-wallet/routes.ts"
import { agentSales } from "./products/agent-mode/sales-routes.ts"
import { sandboxJourneys } from "./products/agent-mode/sandbox/routes.ts"
import { authorizationTokens } from "./products/authorization-tokens/routes.ts"
import { health } from "./products/discovery/health.ts"
import { serviceJwks } from "./products/discovery/jwks.ts"
import { buyerOnboarding } from "./products/us/buyer-onboarding/routes.ts"
import { companyPassports } from "./products/us/company-check/passport-route.ts"
import { paymentDecisionRoutes } from "./products/us/payment-decision/routes.ts"
import { listsWithoutAccepted } from "./products/us/payment-decision/without-accepted.ts"
import { sourceHealth } from "./products/us/source-health/routes.ts"
import { requestDocumentRoutes } from "./request-documents.ts"
import { sandboxDeps } from "./sandbox-deps.ts"
import { isLoopback, type Service } from "./service.ts"
import { screenWallet } from "./sources/screening/screen.ts"
import { statementAgentId } from "./store/identity/service-identities.ts"
import { readTreeHead } from "./store/log/transparency-log.ts"
import { walletDeps } from "./wallet-deps.ts"

export function routes(service: Service) {
  const app = new Elysia({ normalize: false, strictPath: true, handler: { standardHostname: false } })
  const { shell, store, sources, registers } = service
  const signer = () => service.keys.current()
  const baseUrl = () => service.baseUrl
  const served = () => shell.served?.rows() ?? []
  const answers = {
    shell,
    delivery: service.delivery,
    isRestrictedWallet: (address: string) => screenWallet(sources.index(), address) !== null,
  }
  const recentKeys = new RecentKeys(service.machine)
  const descriptor = { baseUrl: service.baseUrl, issuerName: service.config.issuer_name }
  return (
    app
      // First, because Elysia's onError covers only routes registered after it.
      .onError(
        { as: "global" },
        fallback(
          service.shell,
          () => app.routes,
          () => linkHeader(served()),
        ),
      )
      // Agent ID
      .use(
        identityExport({
          shell,
          store,
          machine: service.machine,
          signer,
          logKey: () => service.keys.logKey(),
          refreshKeys: () => service.keys.refresh(),
          logOrigin: service.logOrigin,
          baseUrl,
        }),
      )
      .use(agentIdDiscovery({ shell, store, ...descriptor, channels: commaList(service.config.agent_id_channels) }))
      .use(invitationBootstrap({ shell, store, ...descriptor }))
      .use(
        invitationPages({
          shell,
          content: invitationContent(descriptor),
          bootstrapPathOf: async (call) => bootstrapPath(await requireInvitation(store, call)),
        }),
      )
      .use(
        agentId({
          shell,
          store,
          machine: service.machine,
          signer,
          refreshKeys: () => service.keys.refresh(),
          baseUrl,
          issuerName: service.config.issuer_name,
          logOrigin: service.logOrigin,
          challengeIssuance: service.config.challenge_issuance === "on",
        }),
      )
      .use(
        agentSignatures({
          shell,
          store,
          machine: service.machine,
          baseUrl,
          checkpoint: (head) => service.checkpoints.of(head),
          signatureVerification: service.config.signature_verification === "on",
        }),
      )
      .use(
        transparencyLog({
          shell,
          store,
          baseUrl,
          origin: service.logOrigin,
          earlierOrigins: service.earlierOrigins,
          checkpoints: service.checkpoints,
          publicKeys: () => service.keys.checkpointKeys(),
        }),
      )
      // United States
      .use(sourceHealth({ shell, sources: listsWithoutAccepted(sources) }))
      .use(
        paymentDecisionRoutes({
          shell,
          delivery: service.delivery,
          product: service.paymentDecision,
          sources,
          registers,
        }),
      )
      .use(buyerOnboarding({ shell, store, machine: service.machine, signer, baseUrl }))
      .use(answerRoutes(answers, service.answers, "US"))
      .use(companyPassports({ shell, store }))

      // United Kingdom
      .use(answerRoutes(answers, service.answers, "GB"))

      // Both
      .use(authorizationTokens({ shell, store }))

      // Agent mode
      .use(planning(planningDeps(service)))
      .use(bootstrapRoute(bootstrapDeps(service, recentKeys)))
      .use(proofWallet(walletDeps(service)))
      .use(agentSales(agentSalesDeps(service)))
      .use(sandboxJourneys(sandboxDeps(service, recentKeys)))

      // Discovery
      .use(serviceJwks(service))
      .use(health(service))
      .use(requestDocumentRoutes(shell))
      .use(documentRoutes(shell, service.documents))
      .use(
        serviceProofRoute(shell, {
          generations: service.documents,
          baseUrl,
          signer,
          signingKeys: () => service.keys.signingKeys(),
          serviceAgentId: () => store.read(statementAgentId),
          logOrigin: service.logOrigin,
          checkpoint: async () => service.checkpoints.of(await store.read(readTreeHead)),
          programDigest,
        }),
      )
      .use(
        capabilityRoute(shell, {
          operations: served,
          judgeSale: (productId, at) => judgeSaleOf(service.delivery, productId, at),
          countsCalls: shell.limiter !== unlimited,
          disabled: disabledOperations(service.config),
        }),
      )
      .use(problemRoutes(shell))
      .use(cnpjPreflightRoute(shell, served))
      .use(serviceEntryRoutes(shell, service.config.issuer_name, served))

      // Agents
      .use(mcpEndpoint({ shell, version, isLocal: isLoopback(service.config.listen) }))
      .use(a2aEndpoint(shell))
  )
}
