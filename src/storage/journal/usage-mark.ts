/** Key in `meta`: the number of the last aggregated call. */
export const USAGE_MARK = "usage";
/** Hours that ended before this time (Unix ms) are deleted. */
export const PRUNED_MARK = "usage_pruned";
