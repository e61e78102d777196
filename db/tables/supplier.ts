import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const supplier = sqliteTable("supplier", {
  ownerId: text("owner_id").notNull(),
  supplierId: text("supplier_id").notNull(),
  rootId: text("root_id").notNull(),
  disputed: integer("disputed").notNull(),
  createdAt: text("created_at").notNull(),
})

export const supplierIdentifier = sqliteTable("supplier_identifier", {
  ownerId: text("owner_id").notNull(),
  key: text("key").notNull(),
  supplierId: text("supplier_id").notNull(),
  grade: text("grade", { enum: ["ANCHOR", "ADDED"] }).notNull(),
  requestId: text("request_id").notNull(),
  gradedAt: text("graded_at").notNull(),
  keyId: text("key_id"),
})

export const supplierName = sqliteTable("supplier_name", {
  ownerId: text("owner_id").notNull(),
  nameKey: text("name_key").notNull(),
  supplierId: text("supplier_id").notNull(),
})

export const supplierEntity = sqliteTable("supplier_entity", {
  ownerId: text("owner_id").notNull(),
  entityId: text("entity_id").notNull(),
  supplierId: text("supplier_id").notNull(),
})

export const supplierDistinct = sqliteTable("supplier_distinct", {
  ownerId: text("owner_id").notNull(),
  one: text("one").notNull(),
  other: text("other").notNull(),
})

export const recordAnchor = sqliteTable("record_anchor", {
  ownerId: text("owner_id").notNull(),
  key: text("key").notNull(),
  destination: text("destination").notNull(),
  decidedAt: text("decided_at").notNull(),
  requestId: text("request_id").notNull(),
})

export const supplierStatement = sqliteTable("supplier_statement", {
  organizationId: text("organization_id").notNull(),
  nonce: text("nonce").notNull(),
  document: text("document").notNull(),
  keyId: text("key_id").notNull(),
  appliedAt: text("applied_at").notNull(),
})
