/**
 * The bytes of lists in a database that processes on several machines share. A file is stored in parts under the SHA-256 of its content, before a
 * snapshot names it. Until then it is an upload: an import that is killed leaves uploads, and the next one removes them.
 */
import { and, asc, eq } from "drizzle-orm"
import { bind, bound, changed, first, query, rows, type Unit, write } from "../engine/unit.ts"

/** A file of a snapshot. */
export interface ListFile {
  readonly name: string
  /** 64 lower-case hex characters. */
  readonly sha256: string
  /** Length of its content. */
  readonly bytes: number
  /** How many parts it has. An empty file has none. */
  readonly parts: number
}

/** When the active snapshot of a list became the active one. */
export interface Activation {
  readonly sourceId: string
  readonly snapshotId: string
  /** RFC 3339. */
  readonly activatedAt: string
}

const begin = write((db, { listUpload: t }) =>
  db
    .insert(t)
    .values({ sha256: bind("sha256") })
    .onConflictDoNothing(),
)
const end = write((db, { listUpload: t }) => db.delete(t).where(eq(t.sha256, bind("sha256"))))
const uploads = query((db, { listUpload: t }) => db.select().from(t).orderBy(asc(t.sha256)))

const putPart = write((db, { listPart: t }) =>
  db
    .insert(t)
    .values({ sha256: bind("sha256"), part: bind("part"), bytes: bind("bytes") })
    .onConflictDoNothing(),
)
const numbers = query((db, { listPart: t }) =>
  db
    .select({ part: t.part })
    .from(t)
    .where(eq(t.sha256, bind("sha256")))
    .orderBy(asc(t.part)),
)
const onePart = query((db, { listPart: t }) =>
  db
    .select({ bytes: t.bytes })
    .from(t)
    .where(and(eq(t.sha256, bind("sha256")), eq(t.part, bind("part")))),
)
const removeParts = write((db, { listPart: t }) => db.delete(t).where(eq(t.sha256, bind("sha256"))))

const putFile = write((db, { listFile: t }) =>
  db
    .insert(t)
    .values({
      snapshotId: bind("snapshotId"),
      name: bind("name"),
      sha256: bind("sha256"),
      bytes: bind("bytes"),
      parts: bind("parts"),
    })
    .onConflictDoNothing(),
)
const ofSnapshot = query((db, { listFile: t }) =>
  db
    .select({ name: t.name, sha256: t.sha256, bytes: t.bytes, parts: t.parts })
    .from(t)
    .where(eq(t.snapshotId, bind("snapshotId")))
    .orderBy(asc(t.name)),
)
const naming = query((db, { listFile: t }) =>
  db
    .select({ snapshotId: t.snapshotId })
    .from(t)
    .where(eq(t.sha256, bind("sha256")))
    .limit(1),
)
const removeFiles = write((db, { listFile: t }) => db.delete(t).where(eq(t.snapshotId, bind("snapshotId"))))

const putActivation = write((db, { listActivation: t }) =>
  db
    .insert(t)
    .values({ sourceId: bind("sourceId"), snapshotId: bind("snapshotId"), activatedAt: bind("activatedAt") })
    .onConflictDoUpdate({
      target: t.sourceId,
      set: { snapshotId: bound("snapshotId"), activatedAt: bound("activatedAt") },
    }),
)
const activated = query((db, { listActivation: t }) => db.select().from(t).orderBy(asc(t.sourceId)))

/** Must come before the first part of the file. */
export function* beginUpload(sha256: string): Unit<void> {
  yield* changed(begin, { sha256 })
}

/** `bytes`: compressed. A part that is stored already stays. */
export function* storePart(sha256: string, part: number, bytes: Uint8Array): Unit<void> {
  yield* changed(putPart, { sha256, part, bytes })
}

/** The numbers of the parts that are stored, ascending. */
export function* storedParts(sha256: string): Unit<number[]> {
  return (yield* rows(numbers, { sha256 })).map(({ part }) => part)
}

/** As it was stored, compressed. Null if it is not stored. */
export function* listPart(sha256: string, part: number): Unit<Uint8Array | null> {
  return (yield* first(onePart, { sha256, part }))?.bytes ?? null
}

/** The files of a snapshot whose bytes are stored; none for a snapshot without stored bytes. */
export function* filesOfSnapshot(snapshotId: string): Unit<ListFile[]> {
  return yield* rows(ofSnapshot, { snapshotId })
}

/** Whether every part of every file is stored. */
export function* areStored(files: readonly ListFile[]): Unit<boolean> {
  for (const { sha256, parts } of files) if ((yield* rows(numbers, { sha256 })).length !== parts) return false
  return true
}

/** From here on the snapshot has these bytes. */
export function* nameFiles(snapshotId: string, files: readonly ListFile[]): Unit<void> {
  for (const file of files) {
    yield* changed(putFile, { snapshotId, ...file })
    yield* changed(end, { sha256: file.sha256 })
  }
}

export function* recordActivation(activation: Activation): Unit<void> {
  yield* changed(putActivation, { ...activation })
}

/** One for each list that became active in a shared database. */
export function* activations(): Unit<Activation[]> {
  return yield* rows(activated)
}

/** The uploads that no import ended. Call it only while no import runs. */
export function* openUploads(): Unit<string[]> {
  return (yield* rows(uploads)).map(({ sha256 }) => sha256)
}

/** Removes the bytes of an upload, unless a snapshot names them by now. */
export function* dropUpload(sha256: string): Unit<void> {
  yield* dropUnnamed(sha256)
  yield* changed(end, { sha256 })
}

/** Removes the bytes of a snapshot, but those that another one has too. */
export function* dropFiles(snapshotId: string): Unit<void> {
  const files = yield* rows(ofSnapshot, { snapshotId })
  if (files.length === 0) return
  yield* changed(removeFiles, { snapshotId })
  for (const { sha256 } of files) yield* dropUnnamed(sha256)
}

function* dropUnnamed(sha256: string): Unit<void> {
  if (!(yield* first(naming, { sha256 }))) yield* changed(removeParts, { sha256 })
}
