/** The gate of the product's name. */
export function Mark({ size }: { readonly size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden className="text-accent">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <path d="M7 9h18v3H7zM9 14h4v9H9zM19 14h4v9h-4z" className="fill-on-accent" />
    </svg>
  );
}
