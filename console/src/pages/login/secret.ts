/** The secret of the link that opened this page. It stands after `#`, so that no server logs it. */
export function linkSecret(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}
