/** Authors and some of their well-known works. */
const WORKS: Readonly<Record<string, string>> = {
  "Jane Austen": "Pride and Prejudice|Sense and Sensibility|Emma|Persuasion|Mansfield Park",
  "William Shakespeare": "Hamlet|Macbeth|Othello|King Lear|Romeo and Juliet|The Tempest",
  "Charles Dickens": "Oliver Twist|Great Expectations|David Copperfield|A Tale of Two Cities",
  "Leo Tolstoy": "War and Peace|Anna Karenina",
  "Fyodor Dostoevsky": "Crime and Punishment|The Idiot|The Brothers Karamazov",
  "Herman Melville": "Moby-Dick|Moby Dick|Bartleby, the Scrivener",
  "Mary Shelley": "Frankenstein",
  "Bram Stoker": "Dracula",
  "Charlotte Brontë": "Jane Eyre",
  "Emily Brontë": "Wuthering Heights",
  "George Orwell": "1984|Nineteen Eighty-Four|Animal Farm",
  "Aldous Huxley": "Brave New World",
  "Miguel de Cervantes": "Don Quixote",
  "Victor Hugo": "Les Misérables|The Hunchback of Notre-Dame",
  "Gustave Flaubert": "Madame Bovary",
  "Johann Wolfgang von Goethe": "Faust|The Sorrows of Young Werther",
  "Thomas Mann": "Buddenbrooks|The Magic Mountain",
  "Franz Kafka": "The Trial|The Castle|The Metamorphosis",
  "James Joyce": "Ulysses|Dubliners|Finnegans Wake",
  "Virginia Woolf": "Mrs Dalloway|To the Lighthouse|Orlando",
  "Mark Twain": "Adventures of Huckleberry Finn|The Adventures of Tom Sawyer",
  "F. Scott Fitzgerald": "The Great Gatsby|Tender Is the Night",
  "Ernest Hemingway": "The Old Man and the Sea|A Farewell to Arms",
  "Harper Lee": "To Kill a Mockingbird",
  "J. R. R. Tolkien": "The Hobbit|The Lord of the Rings",
  "J. D. Salinger": "The Catcher in the Rye",
  "Gabriel García Márquez": "One Hundred Years of Solitude",
  Homer: "The Odyssey|The Iliad|Odyssey|Iliad",
  "Dante Alighieri": "The Divine Comedy|Divine Comedy|Inferno",
  "Oscar Wilde": "The Picture of Dorian Gray|The Importance of Being Earnest",
};

export const AUTHORS: ReadonlyMap<string, string> = new Map(
  Object.entries(WORKS).flatMap(([author, titles]) =>
    titles.split("|").map((title) => [title.toLowerCase(), author] as const),
  ),
);
