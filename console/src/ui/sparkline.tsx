/** A small line of values over time. `label` says it in words. */
export function Sparkline({
  values,
  label,
  width = 96,
  height = 20,
}: {
  readonly values: readonly (number | null)[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}) {
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  let isDrawing = false;
  const path = values
    .map((value, at) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const point = `${isDrawing ? "L" : "M"}${(at * step).toFixed(1)} ${(height - 1 - (value / top) * (height - 2)).toFixed(1)}`;
      isDrawing = true;
      return point;
    })
    .join("");
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      className="text-accent overflow-visible"
    >
      <title>{label}</title>
      <path d={path} fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
