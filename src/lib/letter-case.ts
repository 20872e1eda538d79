/** Converts `maxOutputTokens` to `max_output_tokens`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The inverse, as protobuf writes it in JSON: a leading underscore stays. */
export function camelCase(name: string): string {
  return name.includes("_")
    ? name.replaceAll(/(?<!^)_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}

/** `text2video` is `Text2video`, `image-to-video` is `ImageToVideo`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[-_])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
