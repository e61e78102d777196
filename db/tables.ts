/** All tables under one name, so that a query can be built for any engine from (database, tables). */
export * from "./tables/agent-identity.ts"
export * from "./tables/buyers.ts"
export * from "./tables/delivery.ts"
export * from "./tables/invitations.ts"
export * from "./tables/meta.ts"
export * from "./tables/signatures.ts"
export * from "./tables/sources.ts"
export * from "./tables/transparency-log.ts"
