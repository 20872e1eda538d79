const WIDTH = 4;
const GAP = 1;
const HEIGHT = 16;
const DEGRADED = 0.99;

/** One bar for each hour; `label` says the same in words. */
export function HealthStrip({
  hours,
  label,
}: {
  readonly hours: readonly (number | null)[];
  readonly label: string;
}) {
  return (
    <svg
      role="img"
      aria-label={label}
      width={hours.length * (WIDTH + GAP)}
      height={HEIGHT}
      className="align-middle"
    >
      <title>{label}</title>
      {hours.map((share, hour) => (
        <rect
          key={hour}
          x={hour * (WIDTH + GAP)}
          y={0}
          width={WIDTH}
          height={HEIGHT}
          rx={1}
          className={colourOf(share)}
        />
      ))}
    </svg>
  );
}

function colourOf(share: number | null): string {
  if (share === null) return "fill-line";
  if (share === 0) return "fill-bad";
  return share < DEGRADED ? "fill-warn" : "fill-good";
}
