/** The script of the page: from the form to the verdict. It runs only in a browser. */
import { fileId } from "./element-ids.ts"
import { type FileName, MAIN_FILES, MORE_FILES } from "./fields.ts"
import { judge } from "./judge.ts"
import { anyFiles, checkbox, details, element, fileInput, form, made, pasteArea } from "./page-elements.ts"
import { placeFiles } from "./place-files.ts"
import { InputError, readFiles } from "./read-files.ts"
import { readForm } from "./read-form.ts"
import { hideVerdict, showVerdict } from "./show-verdict.ts"

const FIELDS = [...MAIN_FILES, ...MORE_FILES]

/** Grows with each change of the form and with each check. A check of an older edition shows nothing: its files are no longer in the form. */
let edition = 0
let actionsRunning = 0

function setState(...content: (string | Node)[]): void {
  element("state").replaceChildren(...content)
}

/** The verdict on the page is always about the contents of the form. */
function changed(): void {
  edition++
  hideVerdict()
  setState()
}

function countActions(more: 1 | -1): void {
  actionsRunning += more
  form().setAttribute("aria-busy", String(actionsRunning > 0))
}

/**
 * Runs one action of the person and then shows its result, if it is still wanted. An {@link InputError} is shown as it is;
 * anything else is a bug, and the page names it as one.
 */
async function act(action: () => Promise<() => void>, isWanted = () => true): Promise<void> {
  countActions(1)
  let show: () => void
  try {
    show = await action()
  } catch (error) {
    const isBug = !(error instanceof InputError)
    if (isBug) reportError(error)
    show = () => {
      hideVerdict()
      setState(isBug ? "This page has a fault: nothing was checked. Use the command bizauth verify." : error.message)
    }
  }
  if (isWanted()) show()
  countActions(-1)
}

function startCheck(): void {
  const own = ++edition
  hideVerdict()
  setState("Checking …")
  void act(check, () => edition === own)
}

async function check(): Promise<() => void> {
  const given = await readForm()
  const verdict = await judge(given, Date.now())
  return () => {
    // The reader must see what the verdict depends on.
    if (given.usesMore) details().open = true
    showVerdict(verdict, given.isServersWord)
  }
}

/** Puts each file into the field of its kind, and says where it is. */
async function place(files: readonly File[]): Promise<() => void> {
  const read = await readFiles(files)
  const { fields, leftOver } = placeFiles(read.map(({ bytes }, at) => ({ bytes, file: files[at] as File })))
  return () => {
    const said: (string | Node)[][] = []
    for (const { name, label } of FIELDS) {
      const placed = fields.get(name)?.map(({ file }) => file)
      if (placed === undefined) continue
      putInto(name, placed)
      said.push(sentence(label, placed))
    }
    const unused = leftOver.map(({ file }) => file)
    if (unused.length > 0) said.push(sentence("Not used", unused))
    setState(...said.flatMap((one, at) => (at === 0 ? one : [" ", ...one])))
  }
}

/** For example "Document: a.json." */
function sentence(label: string, files: readonly File[]): (string | Node)[] {
  // A name that is written from right to left must not turn the text around it.
  const names = files.flatMap(({ name }, at) => [at === 0 ? "" : ", ", made("bdi", name)])
  return [`${label}: `, ...names, "."]
}

function putInto(name: FileName, files: readonly File[]): void {
  const transfer = new DataTransfer()
  for (const file of files) transfer.items.add(file)
  fileInput(name).files = transfer.files
  chosen(name)
}

/** A file replaces a pasted text. */
function chosen(name: FileName): void {
  changed()
  const field = FIELDS.find((one) => one.name === name)
  if (field?.takesText) pasteArea(name).value = ""
  if (name === "issuer") checkbox("ownKeys").checked = true
  if (!MAIN_FILES.some((one) => one.name === name)) details().open = true
}

function listenToFields(): void {
  for (const { name, takesText } of FIELDS) {
    fileInput(name).addEventListener("change", () => chosen(name))
    if (!takesText) continue
    pasteArea(name).addEventListener("input", () => {
      fileInput(name).value = ""
      if (name === "issuer") checkbox("ownKeys").checked = true
    })
  }
  anyFiles().addEventListener("change", () => {
    const files = [...(anyFiles().files ?? [])]
    anyFiles().value = ""
    if (files.length > 0) void act(() => place(files))
  })
  // Not at `change`: a text field also fires that when the focus leaves it, and each verdict takes the focus.
  form().addEventListener("input", changed)
  form().addEventListener("reset", changed)
}

/** Files that are dropped or pasted anywhere on the page. A browser puts files that are dropped on a file field into that field. */
function listenToPage(): void {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") && !isFileField(event.target)) event.preventDefault()
  })
  document.addEventListener("drop", (event) => {
    if (!isFileField(event.target)) takeFrom(event.dataTransfer, event)
  })
  document.addEventListener("paste", (event) => takeFrom(event.clipboardData, event))
}

/**
 * A text that is dropped or pasted goes where the browser puts it. It has no files, or a picture of itself: programs for tables and texts
 * add one.
 */
function takeFrom(transfer: DataTransfer | null, event: Event): void {
  const hasText = transfer?.types.includes("text/plain") ?? false
  const files = [...(transfer?.files ?? [])].filter(({ type }) => !(hasText && type.startsWith("image/")))
  if (files.length === 0) return
  event.preventDefault()
  void act(() => place(files))
}

function isFileField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && FIELDS.some(({ name }) => target.id === fileId(name))
}

function start(): void {
  listenToFields()
  listenToPage()
  form().addEventListener("submit", (event) => {
    event.preventDefault()
    startCheck()
  })
  // A file has no server to save it from.
  element("save").hidden = location.protocol === "file:"
  element("noScript").hidden = true
  form().hidden = false
}

start()
