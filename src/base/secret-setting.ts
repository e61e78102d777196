import { type Config, ConfigError, SECRET_NAMES, type SecretName } from "./config.ts"
import { isCredential, readSecretFile, SecretFileError } from "./secret-file.ts"
import { settings } from "./settings.ts"

/**
 * Returns the text of the file that the setting names, without white space around it, or null if the setting names none. Reads the file at
 * each call. Throws {@link ConfigError} with the setting's name and without the text, if the file cannot be read, if others may read it, or
 * if it does not have the form of the setting.
 */
export function secretOf(config: Pick<Config, SecretName>, name: SecretName): string | null {
  const path = config[name]
  return path === null ? null : secretIn(path, name)
}

/** The same for the file that the setting names. */
export function secretIn(path: string, name: SecretName): string {
  const { form } = settings[name]
  try {
    const text = new TextDecoder().decode(readSecretFile(path)).trim()
    if (form !== null && !form.matches.test(text)) throw new SecretFileError(`${path} ${form.otherwise}`)
    return text
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`${name}: ${error.message}`) : error
  }
}

/** The settings whose files the service manager hands over (LoadCredential). */
export function handedOverSecrets(config: Pick<Config, SecretName>): readonly SecretName[] {
  return SECRET_NAMES.filter((name) => config[name] !== null && isCredential(config[name]))
}
