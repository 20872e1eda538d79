/** How many processes of one gateway share a port; `auto`: as many as the machine has cores. */
export type Workers = number | "auto";
