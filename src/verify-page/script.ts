/** The script of the page: from the form to the verdict. It runs only in a browser. */
import { fileId } from "./element-ids.ts"
import { type FileName, MAIN_FILES, MORE_FILES } from "./fields.ts"
import { judge } from "./judge.ts"
import { anyFiles, checkbox, details, element, fileInput, form, pasteArea } from "./page-elements.ts"
import { placeFiles } from "./place-files.ts"
import { InputError, readFiles } from "./read-files.ts"
import { readForm } from "./read-form.ts"
import { hideVerdict, showVerdict } from "./show-verdict.ts"

const FIELDS = [...MAIN_FILES, ...MORE_FILES]

function say(text: string): void {
  element("state").textContent = text
}

/** Runs one action of the person. What the page cannot use is said; anything else is a bug, and is said as one. */
async function act(action: () => Promise<void>): Promise<void> {
  form().setAttribute("aria-busy", "true")
  try {
    await action()
  } catch (error) {
    hideVerdict()
    if (error instanceof InputError) say(error.message)
    else {
      say("This page has a fault: nothing was checked. Use the command bizauth verify.")
      throw error
    }
  } finally {
    form().setAttribute("aria-busy", "false")
  }
}

async function verify(): Promise<void> {
  hideVerdict()
  say("Checking …")
  const given = await readForm()
  showVerdict(await judge(given, Date.now()), given.isServersWord)
}

/** Puts each file into the field of its kind. */
async function place(files: readonly File[]): Promise<void> {
  const read = await readFiles(files)
  const { fields, leftOver } = placeFiles(read.map(({ bytes }, at) => ({ bytes, file: files[at] as File })))
  const said: string[] = []
  for (const { name, label } of FIELDS) {
    const placed = fields.get(name)
    if (placed === undefined) continue
    putInto(
      name,
      placed.map(({ file }) => file),
    )
    said.push(`${label}: ${placed.map(({ file }) => file.name).join(", ")}.`)
  }
  if (leftOver.length > 0) said.push(`Not used: ${leftOver.map(({ file }) => file.name).join(", ")}.`)
  say(said.join(" "))
}

function putInto(name: FileName, files: readonly File[]): void {
  const transfer = new DataTransfer()
  for (const file of files) transfer.items.add(file)
  fileInput(name).files = transfer.files
  chosen(name)
}

/** A file replaces a pasted text. */
function chosen(name: FileName): void {
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

/** A text that is dropped or pasted has no files, and goes where the browser puts it. */
function takeFrom(transfer: DataTransfer | null, event: Event): void {
  const files = [...(transfer?.files ?? [])]
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
    void act(verify)
  })
  form().addEventListener("reset", () => {
    hideVerdict()
    say("")
  })
  // A file has no server to save it from.
  element("save").hidden = location.protocol === "file:"
  form().hidden = false
}

start()
