/**
 * How many places a table takes that has `room` of them and needs `atLeast`: a quarter more, for one that is doubled stands
 * half empty where there are many signals, and a move costs little beside what filled the table.
 */
export const roomFor = (atLeast: number, room: number): number => Math.max(atLeast, room + (room >> 2));
