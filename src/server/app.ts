/** The route map: one line for each slice, in the order of the interface. A new product adds one line here. */
import { version } from "../../package.json"
import { RecentKeys } from "../agent-mode/bootstrap/recent-keys.ts"
import { bootstrapRoute } from "../agent-mode/bootstrap/routes.ts"
import { planning } from "../agent-mode/planning/routes.ts"
import { agentSales } from "../agent-mode/sales-routes.ts"
import { sandboxJourneys } from "../agent-mode/sandbox/routes.ts"
import { proofWallet } from "../agent-mode/wallet/routes.ts"
import { listensOnLoopback } from "../base/listen-address.ts"
import { contactRoutes } from "../contact/routes.ts"
import { judgeSaleOf } from "../delivery/judge-sale.ts"
import { capabilityRoute } from "../discovery/capabilities.ts"
import { cnpjPreflightRoute } from "../discovery/cnpj-preflight.ts"
import { documentRoutes } from "../discovery/document-routes.ts"
import { linkHeader } from "../discovery/entry-links.ts"
import { programDigest } from "../discovery/program-digest.ts"
import { serviceEntryRoutes } from "../discovery/service-entry.ts"
import { serviceProofRoute } from "../discovery/service-proof.ts"
import { a2aEndpoint } from "../endpoints/a2a/endpoint.ts"
import { mcpEndpoint } from "../endpoints/mcp/endpoint.ts"
import { unlimited } from "../http/rate-limit.ts"
import type { Route } from "../http/route.ts"
import { router } from "../http/router.ts"
import { invitationPages } from "../pages/invitation-routes.ts"
import { problemRoutes } from "../pages/problem-routes.ts"
import { refusalPages } from "../pages/refusal-page.ts"
import { agentIdDiscovery } from "../products/agent-id/discovery-routes.ts"
import { identityExport } from "../products/agent-id/export-routes.ts"
import {
  bootstrapPath,
  invitationBootstrap,
  invitationContent,
  requireInvitation,
} from "../products/agent-id/invitation.ts"
import { transparencyLog } from "../products/agent-id/log-routes.ts"
import { agentId } from "../products/agent-id/routes.ts"
import { agentSignatures } from "../products/agent-id/signature-routes.ts"
import { authorizationTokens } from "../products/authorization-tokens/routes.ts"
import { countryRoutes } from "../products/common/country-routes.ts"
import { health } from "../products/discovery/health.ts"
import { serviceJwks } from "../products/discovery/jwks.ts"
import { buyerOnboarding } from "../products/us/buyer-onboarding/routes.ts"
import { companyPassports } from "../products/us/company-check/passport-route.ts"
import { listsWithoutAccepted } from "../products/us/payment-decision/without-accepted.ts"
import { sourceHealth } from "../products/us/source-health/routes.ts"
import { statementAgentId } from "../store/identity/service-identities.ts"
import { readTreeHead } from "../store/log/transparency-log.ts"
import { bootstrapDeps } from "./agent-mode/bootstrap.ts"
import { planningDeps } from "./agent-mode/planning.ts"
import { agentSalesDeps } from "./agent-mode/sales.ts"
import { sandboxDeps } from "./agent-mode/sandbox.ts"
import { walletDeps } from "./agent-mode/wallet.ts"
import { disabledOperations } from "./disabled-operations.ts"
import { openapiExamplesRoute, requestDocumentRoutes } from "./request-documents.ts"
import type { Service } from "./service.ts"
import { siteOf, sitePages } from "./site-pages.ts"

/** The app with every route of the service. */
export function routes(service: Service) {
  const { shell } = service
  return router(shell, servedRoutes(service), {
    link: () => linkHeader(shell.served.rows()),
    refusal: refusalPages(siteOf(service)),
  })
}

export function servedRoutes(service: Service): readonly Route[] {
  const { shell } = service
  return [
    ...agentIdRoutes(service),
    ...soldRoutes(service),
    ...contactRoutes(service.contact),
    ...agentModeRoutes(service),
    ...discoveryRoutes(service),
    mcpEndpoint({ shell, version, isLocal: listensOnLoopback(service.config.listen), sets: service.config.mcp_sets }),
    a2aEndpoint(shell),
  ]
}

function agentIdRoutes(service: Service): readonly Route[] {
  const { shell, store, machine, config, keys, logOrigin, checkpoints } = service
  const signer = () => keys.current()
  const refreshKeys = () => keys.refresh()
  const baseUrl = () => service.baseUrl
  const descriptor = { baseUrl: service.baseUrl, issuerName: config.issuer_name }
  return [
    identityExport({
      shell,
      store,
      machine,
      signer,
      logKey: () => keys.logKey(),
      refreshKeys,
      logOrigin,
      baseUrl,
    }),
    agentIdDiscovery({ shell, store, ...descriptor, channels: config.agent_id_channels.slugs }),
    invitationBootstrap({ shell, store, ...descriptor }),
    invitationPages({
      shell,
      site: siteOf(service),
      content: invitationContent(descriptor),
      bootstrapPathOf: async (call) => bootstrapPath(await requireInvitation(store, call)),
    }),
    agentId({
      shell,
      store,
      machine,
      signer,
      refreshKeys,
      baseUrl,
      issuerName: config.issuer_name,
      logOrigin,
      challengeIssuance: config.challenge_issuance,
    }),
    agentSignatures({
      shell,
      store,
      machine,
      baseUrl,
      checkpoint: (head) => checkpoints.of(head),
      signatureVerification: config.signature_verification,
    }),
    transparencyLog({
      shell,
      store,
      baseUrl,
      origin: logOrigin,
      earlierOrigins: service.earlierOrigins,
      checkpoints,
      publicKeys: () => keys.checkpointKeys(),
    }),
  ].flat()
}

/** What is sold in each country, and what its buyers need beside it. */
function soldRoutes(service: Service): readonly Route[] {
  const { shell, store, machine, delivery, isRestrictedWallet, reviewOf } = service
  const selling = { shell, delivery, isRestrictedWallet, reviewOf }
  return [
    // United States
    sourceHealth({ shell, sources: listsWithoutAccepted(service.sources) }),
    buyerOnboarding({ shell, store, machine, signer: () => service.keys.current(), baseUrl: () => service.baseUrl }),
    countryRoutes(selling, service.slices, "US"),
    companyPassports({ shell, store }),

    // United Kingdom
    countryRoutes(selling, service.slices, "GB"),

    // Both
    authorizationTokens({ shell, store }),
  ].flat()
}

function agentModeRoutes(service: Service): readonly Route[] {
  const recentKeys = new RecentKeys(service.machine)
  return [
    planning(planningDeps(service)),
    bootstrapRoute(bootstrapDeps(service, recentKeys)),
    proofWallet(walletDeps(service)),
    agentSales(agentSalesDeps(service)),
    sandboxJourneys(sandboxDeps(service, recentKeys, routes)),
  ].flat()
}

/** The documents for programs, and the pages for people. */
function discoveryRoutes(service: Service): readonly Route[] {
  const { shell, store, config, keys } = service
  const served = () => shell.served.rows()
  const pages = sitePages(service, served)
  return [
    serviceJwks(service),
    health(service),
    requestDocumentRoutes(shell),
    openapiExamplesRoute(shell),
    documentRoutes(shell, service.documents, config.acp_channel),
    serviceProofRoute(shell, {
      generations: service.documents,
      baseUrl: () => service.baseUrl,
      signer: () => keys.current(),
      signingKeys: () => keys.signingKeys(),
      serviceAgentId: () => store.read(statementAgentId),
      logOrigin: service.logOrigin,
      checkpoint: async () => service.checkpoints.of(await store.read(readTreeHead)),
      programDigest,
    }),
    capabilityRoute(shell, {
      operations: served,
      judgeSale: (productId, at) => judgeSaleOf(service.delivery, productId, at),
      countsCalls: shell.limiter !== unlimited,
      disabled: disabledOperations(config),
    }),
    problemRoutes(shell, siteOf(service)),
    cnpjPreflightRoute(shell, served),
    serviceEntryRoutes({ shell, issuerName: config.issuer_name, operations: served, page: pages.home }),
    pages.routes,
  ].flat()
}
