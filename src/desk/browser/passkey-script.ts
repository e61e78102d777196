/** The one script of the desk: it asks the browser for a passkey, puts it into the form and sends the form. It runs only in a browser. */
const form = document.querySelector<HTMLFormElement>("form[data-passkey]")
const field = form?.querySelector<HTMLInputElement>("input[name=credential]")
const state = form?.querySelector<HTMLElement>("[data-passkey-state]")

if (form && field && state) {
  form.querySelector("[data-passkey-notice]")?.remove()
  form.addEventListener("submit", (event) => {
    // Filled: this is the form that the script sends.
    if (field.value !== "") return
    event.preventDefault()
    state.textContent = "The browser asks for your passkey …"
    credential(form)
      .then((text) => {
        field.value = text
        form.submit()
      })
      .catch((error: unknown) => {
        state.textContent = `There is no passkey: ${error instanceof Error ? error.message : String(error)}`
      })
  })
}

/** JSON of what the browser made. Rejects if the person cancelled. */
async function credential({ dataset }: HTMLFormElement): Promise<string> {
  const options = JSON.parse(dataset["options"] ?? "")
  const made =
    dataset["passkey"] === "create"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
  if (!(made instanceof PublicKeyCredential)) throw new Error("the browser made none")
  return JSON.stringify(made.toJSON())
}
