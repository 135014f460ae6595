declare module "virtual:places" {
  /** Rank 0 is the most important. */
  const places: readonly (readonly [name: string, east: number, north: number, rank: 0 | 1 | 2 | 3])[];
  export default places;
}
