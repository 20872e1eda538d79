import type { Channel } from "./channel.ts";
import { scalePrice, writeThousandths, type Price } from "./money.ts";

/** The price of a model on a channel with a discount or a surcharge. */
export function priceOnChannel(
  { name, priceFactor }: Pick<Channel, "name" | "priceFactor">,
  usual: Price | undefined,
): Price | undefined {
  if (usual === undefined || priceFactor === undefined) return usual;
  const source = `${usual.source}, times ${writeThousandths(priceFactor)} on the channel '${name}'`;
  return { ...scalePrice(usual, priceFactor), source };
}
